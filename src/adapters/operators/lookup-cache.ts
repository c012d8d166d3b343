import { createHmac, randomBytes } from 'node:crypto';
import type { JsonValue } from '../../core/value/json';

/** What a look-up came to. `nothing` is an answer without a value at the place that was asked for. */
export type LookupResult =
    { readonly is: 'found'; readonly value: JsonValue } | { readonly is: 'nothing' } | { readonly is: 'notFound' };

interface Entry {
    readonly answer: LookupResult;
    readonly bytes: number;
    readonly expiresAt: number;
}

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** What an entry takes beside its answer. */
const ENTRY_BYTES = 200;

/**
 * Answers of earlier look-ups, in the memory of the process. Its keys tell nothing: they are codes of request and credentials under a key
 * that no other process has. The least recently used go first.
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

    /** All there is to know about the cache from outside. */
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
