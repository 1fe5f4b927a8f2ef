"""Warns of a second node of a kind of which a system has one."""

from .host import Host


def warn_of_namesakes(node: Host, what: str, topic: str, period: float) -> None:
    """Log when another `what` runs in the domain and namespace of `node`.

    Each of them publishes `topic`, whose publishers are counted every `period` seconds.
    """
    known = 0

    def check() -> None:
        nonlocal known
        others = len(node.graph.publishers(topic)) - 1
        if others > known:
            node.log.warning(
                f"Another {what} runs in this ROS domain and namespace: its topics and services "
                "have the same names. Give one system another namespace or ROS_DOMAIN_ID"
            )
        known = others

    node.create_timer(period, check)
