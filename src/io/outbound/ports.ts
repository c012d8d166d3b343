/** Ports of other protocols, from the Fetch standard ("port blocking"): a request to them is useless or dangerous. */
const OTHER_PROTOCOLS: readonly number[] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/**
 * Ports of services that are normally protected by a firewall. Some of them speak HTTP and obey every client (Docker, etcd, Elasticsearch), the
 * others read commands from the lines of a request (Redis, memcached).
 */
const INTERNAL_SERVICES: ReadonlyArray<readonly [service: string, ...ports: readonly number[]]> = [
    ['SMTP', 25, 465, 587, 2525],
    ['SSH', 22],
    ['SMB', 445],
    ['rsync', 873],
    ['SOCKS', 1080],
    ['Squid', 3128],
    ['SQL Server', 1433, 1434],
    ['Oracle', 1521, 2483, 2484],
    ['MySQL or MariaDB', 3306, 33060],
    ['PostgreSQL', 5432, 6432],
    ['MongoDB', 27017, 27018, 27019],
    ['CouchDB', 5984, 6984],
    ['Cassandra', 7000, 7001, 7199, 9042],
    ['Neo4j', 7474, 7687],
    ['InfluxDB', 8086],
    ['Redis', 6379, 6380, 16379, 26379],
    ['memcached', 11211],
    ['Elasticsearch or OpenSearch', 9200, 9300],
    ['RabbitMQ', 4369, 5671, 5672, 25672],
    ['MQTT', 1883, 8883],
    ['Kafka', 9092, 9093, 9094],
    ['NATS', 4222],
    ['ActiveMQ', 61613, 61616],
    ['ZooKeeper', 2181],
    ['Docker', 2375, 2376, 2377],
    ['etcd', 2379, 2380],
    ['Kubernetes', 6443, 10250, 10255, 10256, 10257, 10259],
    ['Consul', 8300, 8301, 8302, 8500, 8501, 8502, 8600],
    ['Vault', 8200, 8201],
    ['Nomad', 4646, 4647, 4648],
    ['RDP', 3389],
    ['VNC', 5900],
    ['WinRM', 5985, 5986],
];

const SERVICE_OF: ReadonlyMap<number, string> = new Map([
    ...OTHER_PROTOCOLS.map(port => [port, 'another protocol'] as const),
    ...INTERNAL_SERVICES.flatMap(([service, ...ports]) => ports.map(port => [port, service] as const)),
]);

/** The service of a port that no request should reach; undefined for any other port. */
export function serviceAt(port: number): string | undefined {
    return SERVICE_OF.get(port);
}
