"""The names of a running system, as the graph of ROS has them."""

from ros import Client


def names_in_use(client: Client) -> dict[str, set[str]]:
    """What the nodes publish, hear and serve, by what a client does with it; once all is seen."""
    node = client.node

    def nodes() -> list[tuple[str, str]]:
        everybody = node.get_node_names_and_namespaces()
        return [each for each in everybody if each[0] != node.get_name()]

    def seen() -> dict[str, set[str]]:
        found: dict[str, set[str]] = {"subscribe": set(), "publish": set(), "request": set()}
        for each in nodes():
            found["subscribe"] |= {t for t, _ in node.get_publisher_names_and_types_by_node(*each)}
            found["publish"] |= {t for t, _ in node.get_subscriber_names_and_types_by_node(*each)}
            found["request"] |= {s for s, _ in node.get_service_names_and_types_by_node(*each)}
        return found

    # Each node has its own six services of parameters.
    client.eventually(
        lambda: sum("set_parameters" in s for s in seen()["request"]) == 2 * len(nodes()),
        "all services are seen",
    )
    return seen()
