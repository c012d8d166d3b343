import { readSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** So many strings are read at once: neighbours in the list tend to stand in neighbouring cells. */
const BLOCK = 32;
const BLOCKS_KEPT = 64;
const KEPT_BYTES = 4 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;

/**
 * A list of strings in a temporary file. A block of strings is one read; memory holds a place for each block, and the blocks that were
 * read last. Strings are read synchronously, out of the middle of a parser: what was just written lies in the system's cache.
 */
export class StringFile {
    /** Where each block begins; the last number is where the next one will. */
    private readonly places: number[] = [0];
    private block: Buffer[] = [];
    private unwritten: Buffer[] = [];
    private unwrittenBytes = 0;
    private count = 0;
    private readonly kept = new Map<number, Buffer>();
    private keptBytes = 0;

    private constructor(private readonly folder: string, private readonly handle: FileHandle) {}

    static async create(tempDir: string): Promise<StringFile> {
        const folder = await mkdtemp(join(tempDir, 'flow-strings-'));
        try {
            return new StringFile(folder, await open(join(folder, 'strings'), 'wx+', 0o600));
        } catch (error) {
            await rm(folder, { recursive: true, force: true });
            throw error;
        }
    }

    get length(): number {
        return this.count;
    }

    add(text: string): void {
        this.block.push(Buffer.from(text));
        this.count++;
        if (this.block.length === BLOCK) this.endBlock();
    }

    /** Writes what has gathered. To be called between two pieces of the source. */
    async flush(isLast = false): Promise<void> {
        if (isLast && this.block.length > 0) this.endBlock();
        if (this.unwrittenBytes < (isLast ? 1 : WRITE_BYTES)) return;
        await this.handle.writeFile(Buffer.concat(this.unwritten, this.unwrittenBytes));
        this.unwritten = [];
        this.unwrittenBytes = 0;
    }

    /** A string by its place in the list, which must be below `length`. Only when all is written. */
    get(index: number): string {
        const block = this.blockOf(Math.floor(index / BLOCK));
        const place = index % BLOCK;
        const start = place === 0 ? BLOCK * 4 : block.readUInt32LE((place - 1) * 4);
        return block.toString('utf8', start, block.readUInt32LE(place * 4));
    }

    /** Removes the file. */
    async remove(): Promise<void> {
        await this.handle.close();
        await rm(this.folder, { recursive: true, force: true });
    }

    /** A block begins with the place where each of its strings ends. */
    private endBlock(): void {
        const ends = Buffer.alloc(BLOCK * 4);
        let end = ends.length;
        for (const [i, text] of this.block.entries()) {
            end += text.length;
            ends.writeUInt32LE(end, i * 4);
        }
        this.unwritten.push(ends, ...this.block);
        this.unwrittenBytes += end;
        this.places.push(this.places.at(-1)! + end);
        this.block = [];
    }

    private blockOf(number: number): Buffer {
        const kept = this.kept.get(number);
        if (kept) return kept;
        const start = this.places[number]!;
        const block = Buffer.allocUnsafe(this.places[number + 1]! - start);
        readSync(this.handle.fd, block, 0, block.length, start);
        this.kept.set(number, block);
        this.keptBytes += block.length;
        for (const [oldest, { length }] of this.kept) {
            if (this.kept.size <= BLOCKS_KEPT && this.keptBytes <= KEPT_BYTES) break;
            this.kept.delete(oldest);
            this.keptBytes -= length;
        }
        return block;
    }
}
