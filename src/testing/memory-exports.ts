import { createHash } from 'node:crypto';
import type { ExportedFile, ExportPart, ExportStore } from '../core/adapter/exports';

/** A stored export file. */
interface MemoryFile extends ExportedFile {
    readonly id: string;
    readonly content: Buffer;
}

/** Stores the exports of tests in memory, with the rules of the persistent store. */
export class MemoryExports implements ExportStore {
    readonly files: MemoryFile[] = [];
    private readonly steps = new Map<string, Map<string, ExportPart>>();
    private made = 0;

    /** `failing` is called before a part is stored, and may throw. */
    constructor(private readonly failing: () => void = () => undefined) {}

    async put(stepKey: string, part: ExportPart): Promise<void> {
        this.failing();
        const parts = this.steps.get(stepKey) ?? new Map<string, ExportPart>();
        this.steps.set(stepKey, parts.set(part.key, part));
    }

    async parts(stepKey: string) {
        return [...(this.steps.get(stepKey)?.values() ?? [])].map(({ content, ...part }) => ({
            ...part,
            open: () => pieces(content),
        }));
    }

    async draft(bytes: AsyncIterable<Uint8Array>) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of bytes) chunks.push(chunk);
        const content = Buffer.concat(chunks);
        return {
            size: content.length,
            sha256: createHash('sha256').update(content).digest('hex'),
            content: {
                open: () => pieces(content),
                local: () => Promise.reject(new Error('The file has no local copy.')),
            },
            publish: async (file: ExportedFile) => {
                const id = String(++this.made);
                this.files.push({ ...file, id, content });
                return { id };
            },
            discard: async () => undefined,
        };
    }

    async clear(stepKey: string): Promise<void> {
        this.steps.delete(stepKey);
    }
}

async function* pieces(content: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
    // The content is split anywhere, also within characters.
    for (let from = 0; from < content.length; from += 1_000) yield content.subarray(from, from + 1_000);
}
