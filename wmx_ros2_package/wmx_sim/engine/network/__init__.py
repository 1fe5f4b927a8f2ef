"""The EtherCAT networks of the simulated engine: masters, slaves, their objects and registers."""
