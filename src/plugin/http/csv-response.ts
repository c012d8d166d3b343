import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HttpResponse, untilDisconnected } from './exchange';

/** A table that is written while it is read. */
interface CsvFile {
    readonly filename: string;
    readonly lines: AsyncIterable<string>;
}

/** Sends a table. Its first line is read before the response starts, so that an error can still be sent as one. */
export async function csvResponse(response: HttpResponse, { filename, lines }: CsvFile): Promise<void> {
    const signal = untilDisconnected(response);
    const rows = lines[Symbol.asyncIterator]();
    const first = await rows.next();
    response.setHeader('Content-Type', 'text/csv; charset=utf-8');
    response.setHeader('Content-Disposition', `attachment; filename="${filename}"`);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'private, no-store');
    try {
        await pipeline(Readable.from(joined(first, rows), { objectMode: false }), response);
    } catch (error) {
        signal.throwIfAborted();
        throw error;
    }
}

async function* joined(
    first: IteratorResult<string, void>,
    rest: AsyncIterator<string, void>,
): AsyncGenerator<string, void, void> {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
}
