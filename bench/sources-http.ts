import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Row } from './report';
import { benchSource } from './source-reading';

/** The settings of a process that reads. */
export interface HttpOrder {
    readonly url: string;
    readonly way: 'undici' | 'httpApi';
    readonly records: number;
    /** Records per page. */
    readonly limit: number;
}

/** Pages of some 180 and 900 kB, which are read into memory, and of 1.8 MB, which are streamed. */
const PAGES = { 'pages of 1,000': 1_000, 'pages of 5,000': 5_000, 'pages of 10,000': 10_000 } as const;

/**
 * JSON pages of a local server, read by the extractor `httpApi`, and by undici and JSON.parse one page after the other.
 */
export async function benchHttpSources(records = 1_000_000): Promise<readonly Row[]> {
    const server = fork(join(__dirname, 'sources-http-server.ts'), [String(records)], {
        execArgv: ['-r', '@swc-node/register'],
    });
    try {
        const url = await new Promise<string>((resolve, reject) => {
            server.once('message', message => resolve(String(message)));
            server.once('exit', code => reject(new Error(`The server has ended with ${code}.`)));
        });
        return Object.entries(PAGES).flatMap(([source, limit]) =>
            benchSource({
                source,
                script: 'sources-http-child.ts',
                order: { url, limit },
                records,
                ways: ['undici', 'httpApi'],
            }),
        );
    } finally {
        server.kill();
    }
}
