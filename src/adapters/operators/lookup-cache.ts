import { createHmac, randomBytes } from 'node:crypto';
import type { JsonValue } from '../../core/value/json';

/** The result of a look-up. `nothing` is a response without a value at the requested path. */
export type LookupResult =
    { readonly is: 'found'; readonly value: JsonValue } | { readonly is: 'nothing' } | { readonly is: 'notFound' };

interface Entry {
    readonly answer: LookupResult;
    readonly bytes: number;
    readonly expiresAt: number;
}

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** The memory of an entry in addition to its response. */
const ENTRY_BYTES = 200;

/**
 * Responses of earlier look-ups, in the memory of the process. The keys reveal nothing: they are authentication codes
 * of request and credentials, with a key that only this process has. The least recently used entries are removed first.
 */
export class LookupCache {
    private readonly key = randomBytes(32);
    private readonly entries = new Map<string, Entry>();
    private bytes = 0;

    constructor(
        private readonly limits: { readonly entries: number; readonly bytes: number } = {
            entries: MAX_ENTRIES,
            bytes: MAX_BYTES,
        },
    ) {}

    /** The only property that is visible outside of the cache. */
    get size(): number {
        return this.entries.size;
    }

    keyOf(parts: readonly string[]): string {
        return createHmac('sha256', this.key).update(JSON.stringify(parts)).digest('base64');
    }

    get(key: string, now: number): LookupResult | undefined {
        const entry = this.entries.get(key);
        if (!entry) return undefined;
        this.remove(key, entry);
        if (entry.expiresAt <= now) return undefined;
        this.add(key, entry);
        return entry.answer;
    }

    set(key: string, result: LookupResult, expiresAt: number): void {
        const bytes = ENTRY_BYTES + (result.is === 'found' ? 2 * JSON.stringify(result.value).length : 0);
        const known = this.entries.get(key);
        if (known) this.remove(key, known);
        if (bytes > this.limits.bytes) return;
        this.add(key, { answer: result, bytes, expiresAt });
        for (const [oldest, entry] of this.entries) {
            if (this.entries.size <= this.limits.entries && this.bytes <= this.limits.bytes) break;
            this.remove(oldest, entry);
        }
    }

    private add(key: string, entry: Entry): void {
        this.entries.set(key, entry);
        this.bytes += entry.bytes;
    }

    private remove(key: string, entry: Entry): void {
        this.entries.delete(key);
        this.bytes -= entry.bytes;
    }
}
