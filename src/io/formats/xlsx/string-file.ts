import { readSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * This number of strings, or about this number of their bytes, is read at once: neighbours in the list are often in
 * neighbouring cells.
 */
const BLOCK = 128;
const BLOCK_BYTES = 64 * 1024;
/** Room for a block of the usual size, with the places at its beginning. */
const LEAST_ROOM = BLOCK_BYTES + 4 * BLOCK;
const BLOCKS_KEPT = 64;
const KEPT_BYTES = 4 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;

/**
 * A list of strings in a temporary file. A block of strings is one read; memory holds a place for each block, and the
 * blocks that were read last. Strings are read synchronously, in the middle of a parser: what was just written is in
 * the system's cache.
 */
export class StringFile {
    /** Where each block begins, and the number of its first string; at the end, those that the next one will have. */
    private readonly places: number[] = [0];
    private readonly firsts: number[] = [0];
    private block: string[] = [];
    private blockBytes = 0;
    private unwritten: Buffer[] = [];
    private unwrittenBytes = 0;
    private count = 0;
    private readonly kept = new Map<number, Buffer>();
    private keptBytes = 0;
    /**
     * The buffers of blocks that are no longer cached, for reuse: the garbage collector would keep them for a long
     * time.
     */
    private readonly free: ArrayBuffer[] = [];

    private constructor(private readonly handle: FileHandle) {}

    /** The file is unlinked as soon as it is open, so that nothing of it remains, however the process ends. */
    static async create(tempDir: string): Promise<StringFile> {
        const path = join(tempDir, `flow-strings-${randomUUID()}`);
        const handle = await open(path, 'wx+', 0o600);
        try {
            await unlink(path);
            return new StringFile(handle);
        } catch (error) {
            await handle.close();
            throw error;
        }
    }

    get length(): number {
        return this.count;
    }

    add(text: string): void {
        const bytes = Buffer.byteLength(text);
        // A long string gets a separate block, so that it is not read with its neighbours.
        if (this.block.length === BLOCK || (this.block.length > 0 && this.blockBytes + bytes > BLOCK_BYTES))
            this.endBlock();
        this.block.push(text);
        this.blockBytes += bytes;
        this.count++;
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
        const number = this.blockNumber(index);
        const block = this.blockOf(number);
        const first = this.firsts[number]!;
        const place = index - first;
        const start = place === 0 ? (this.firsts[number + 1]! - first) * 4 : block.readUInt32LE((place - 1) * 4);
        return block.toString('utf8', start, block.readUInt32LE(place * 4));
    }

    /** Closes the file. */
    close(): Promise<void> {
        return this.handle.close();
    }

    /** A block begins with the place where each of its strings ends. */
    private endBlock(): void {
        const block = Buffer.allocUnsafe(this.block.length * 4 + this.blockBytes);
        let end = this.block.length * 4;
        for (const [i, text] of this.block.entries()) {
            end += block.write(text, end);
            block.writeUInt32LE(end, i * 4);
        }
        this.unwritten.push(block);
        this.unwrittenBytes += end;
        this.places.push(this.places.at(-1)! + end);
        this.firsts.push(this.count);
        this.block = [];
        this.blockBytes = 0;
    }

    /** The block of a string: the last one whose first string is not after it. */
    private blockNumber(index: number): number {
        let low = 0;
        let high = this.firsts.length - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (this.firsts[middle]! <= index) low = middle;
            else high = middle;
        }
        return low;
    }

    private blockOf(number: number): Buffer {
        const kept = this.kept.get(number);
        if (kept) return kept;
        const start = this.places[number]!;
        const block = this.room(this.places[number + 1]! - start);
        readSync(this.handle.fd, block, 0, block.length, start);
        this.kept.set(number, block);
        this.keptBytes += block.length;
        for (const [oldest, { length }] of this.kept) {
            if (this.kept.size <= BLOCKS_KEPT && this.keptBytes <= KEPT_BYTES) break;
            this.free.push(this.kept.get(oldest)!.buffer as ArrayBuffer);
            this.kept.delete(oldest);
            this.keptBytes -= length;
        }
        return block;
    }

    private room(bytes: number): Buffer {
        const free = this.free.pop();
        if (free && free.byteLength >= bytes) return Buffer.from(free, 0, bytes);
        return Buffer.from(new ArrayBuffer(Math.max(bytes, LEAST_ROOM)), 0, bytes);
    }
}
