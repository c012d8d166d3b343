import type { StartedServer } from './process';

/** The servers that suites may need, and the browser. SQLite needs none. */
export type ServerName = 'postgres' | 'mariadb' | 'redis' | 'rabbitmq' | 'chromium';

/** Facts about a kind of server, for messages. */
export interface ServerFacts {
    readonly title: string;
    /** The environment variable that names a server, and passes the address of the one found to the suites. */
    readonly variable: string;
    /** The command that installs the server. */
    readonly bring: string;
}

/** Separate from the clients in `provision.ts`, so that a suite that only needs a server does not load four of them. */
export const SERVER_FACTS: Record<ServerName, ServerFacts> = {
    postgres: {
        title: 'PostgreSQL',
        variable: 'FLOW_TEST_POSTGRES_URL',
        bring: 'docker compose up -d --wait postgres',
    },
    mariadb: { title: 'MariaDB', variable: 'FLOW_TEST_MARIADB_URL', bring: 'docker compose up -d --wait mariadb' },
    redis: { title: 'Redis', variable: 'FLOW_TEST_REDIS_URL', bring: 'docker compose up -d --wait redis' },
    rabbitmq: { title: 'RabbitMQ', variable: 'FLOW_TEST_RABBITMQ_URL', bring: 'docker compose up -d --wait rabbitmq' },
    chromium: { title: 'Chromium', variable: 'FLOW_TEST_CHROMIUM_URL', bring: 'apt-get install -y chromium' },
};

/** How one kind of server is found or started; `provision.ts` decides between them. */
export interface ServerKind {
    /** Addresses of the usual port with the usual accounts, tried in order. */
    readonly usual: readonly string[];
    /** Resolves if the server answers and may be used for tests; otherwise the error gives the reason. */
    probe(url: string): Promise<void>;
    /** Starts one on a scratch port and folder; the error names what is missing. */
    start(): Promise<StartedServer>;
}
