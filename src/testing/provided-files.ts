import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExampleFile } from '../core/adapter/extractor';
import type { FileStore, ManagedFile } from '../core/adapter/files';
import { isSingleByte, upperCharacter } from '../io/formats/single-byte';
import { workbookOfRows } from './workbook';

/** What a file holds, and what it was found to be. */
interface ProvidedFile {
    readonly format: string;
    readonly bytes: Buffer;
}

/** Small enough for texts of some lines to come in more than one piece. */
const PIECE = 4_000;

/** Files as a run finds them, from memory. They are read in small pieces; `released` has the ids of those that were given back. */
export function providedFiles(
    files: Readonly<Record<string, ProvidedFile>>,
): FileStore & { readonly released: readonly string[] } {
    const released: string[] = [];
    const found = new Map(
        Object.entries(files).map(([id, given]) => [id, managedFile(id, given, () => void released.push(id))]),
    );
    return { find: async id => found.get(id), released };
}

/** The files that an example names. Their text is encoded as the configuration of the example says: UTF-8 by default. */
export function filesOfExample(files: Readonly<Record<string, ExampleFile>>, config: object = {}): FileStore {
    const encoding = 'encoding' in config ? String(config.encoding) : 'utf-8';
    return providedFiles(
        Object.fromEntries(
            Object.entries(files).map(([id, content]): [string, ProvidedFile] => [
                id,
                typeof content === 'string'
                    ? { format: id.split('.').at(-1)!, bytes: encodedText(content, encoding) }
                    : { format: 'xlsx', bytes: workbookOfRows(content) },
            ]),
        ),
    );
}

function encodedText(text: string, encoding: string): Buffer {
    if (!isSingleByte(encoding)) return Buffer.from(text);
    const upper = Array.from({ length: 128 }, (_, i) => upperCharacter(encoding, 0x80 + i));
    return Buffer.from([...text].map(one => (one < '\x80' ? one.charCodeAt(0) : 0x80 + upper.indexOf(one))));
}

function managedFile(id: string, { format, bytes }: ProvidedFile, released: () => void): ManagedFile {
    return {
        id,
        filename: id.endsWith(`.${format}`) ? id : `${id}.${format}`,
        format,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        size: bytes.length,
        content: {
            async *open(signal) {
                for (let from = 0; from < bytes.length; from += PIECE) {
                    signal.throwIfAborted();
                    yield bytes.subarray(from, from + PIECE);
                }
            },
            async local() {
                const folder = await mkdtemp(join(tmpdir(), 'flow-file-'));
                const path = join(folder, 'content');
                await writeFile(path, bytes);
                return {
                    path,
                    async release() {
                        released();
                        await rm(folder, { recursive: true, force: true });
                    },
                };
            },
        },
    };
}
