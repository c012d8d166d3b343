import type { FileBytes, RecordBatches, TextFormat } from './batches';

/** A list of JSON, a record a line. */
export async function* jsonFile(batches: RecordBatches): FileBytes {
    let before = '[\n';
    for await (const batch of batches) {
        if (batch.length === 0) continue;
        yield Buffer.from(before + batch.map(record => JSON.stringify(record)).join(',\n'));
        before = ',\n';
    }
    yield Buffer.from(before === '[\n' ? '[]\n' : '\n]\n');
}

/** A record a line (NDJSON). */
export const jsonLines: TextFormat = {
    before: '',
    of: batch => batch.map(record => `${JSON.stringify(record)}\n`).join(''),
    after: '',
};
