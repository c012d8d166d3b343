import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decoded } from '../src/io/formats/decode';
import type { OpenText, RecordReader } from '../src/io/formats/source';
import type { Row } from './report';

const ROUNDS = 3;

/** One way to read a file. It returns the number of records. */
export interface Contender {
    readonly name: string;
    run(file: string): Promise<number>;
}

/** Calls `work` with a generated file of many rows, and deletes it afterwards. */
export function withFile<T>(rows: Iterable<string>, work: (file: string) => Promise<T>): Promise<T> {
    return withFolder(async folder => {
        const file = path.join(folder, 'rows');
        await writeRows(file, rows);
        return work(file);
    });
}

/** Calls `work` with a folder for files, and deletes it afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-'));
    try {
        return await work(folder);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Writes a file of any length. */
export async function writeRows(file: string, rows: Iterable<string>): Promise<void> {
    const out = createWriteStream(file);
    let text = '';
    for (const row of rows) {
        text += row;
        if (text.length < 1024 * 1024) continue;
        if (!out.write(text)) await once(out, 'drain');
        text = '';
    }
    out.end(text);
    await once(out, 'finish');
}

export function textOf(file: string): OpenText {
    return () => decoded(createReadStream(file));
}

/** Both passes of a reader, each starting with the bytes. */
export function passesOf(name: string, reader: (text: OpenText) => RecordReader): readonly Contender[] {
    return [
        { name: `${name}, check`, run: async file => (await reader(textOf(file)).check()).rows },
        {
            name: `${name}, read`,
            run: async file => {
                let seen = 0;
                for await (const page of reader(textOf(file)).read({})) seen += page.records.length;
                return seen;
            },
        },
    ];
}

/** Returns the best of some rounds, in which the contenders take turns. The first one is the yardstick. */
export async function race(title: string, file: string, contenders: readonly Contender[]): Promise<readonly Row[]> {
    const best = contenders.map(() => Infinity);
    const seen = contenders.map(() => 0);
    for (let round = 0; round < ROUNDS; round++) {
        for (const [i, contender] of contenders.entries()) {
            const start = performance.now();
            seen[i] = await contender.run(file);
            best[i] = Math.min(best[i]!, performance.now() - start);
        }
    }
    if (new Set(seen).size !== 1)
        throw new Error(`The readers return different numbers of records: ${seen.join(', ')}.`);
    const megabytes = Math.round(statSync(file).size / 1e6);
    return contenders.map(({ name }, i) => ({
        bench: `${title}, ${megabytes} MB: ${name}`,
        database: '–',
        records: seen[i]!,
        recordsPerSecond: seen[i]! / (best[i]! / 1000),
        statementsPerRecord: null,
        peakRssMb: process.memoryUsage.rss() / 1024 / 1024,
        ratioToRaw: best[0]! / best[i]!,
        ratioToVendure: null,
    }));
}
