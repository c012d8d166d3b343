import type { JsonValue } from '../value/json';
import type { MemoryStore } from '../ports/ports';
import type { Sweep } from '../steps/step';
import { isLoaded, isMissedBy, LOADED, readSeen, type SeenBy, storedKey } from '../steps/sweep';

/** The number of entities in one page. */
const PAGE = 500;

interface ScopeParts {
    readonly by: SeenBy;
    readonly memory: MemoryStore;
    attempt<T>(stepKey: string, work: () => Promise<T>): Promise<T>;
}

/** Something that may be missing. */
interface Known {
    /** The key by which it is loaded. */
    readonly key: string;
    readonly isMissing: boolean;
}

/** The entities of a step that may be missing, and those of them that the run has not seen: page by page, in constant memory. */
export class MissingScope {
    constructor(private readonly parts: ScopeParts) {}

    all(stepKey: string, { listed, found }: Pick<Sweep, 'listed' | 'found'>): AsyncGenerator<Known, void, void> {
        return listed ? this.filtered(stepKey, listed) : this.loaded(stepKey, found);
    }

    /** Everything that the step remembers as loaded and not as missing. */
    private async *loaded(stepKey: string, found: Sweep['found']): AsyncGenerator<Known, void, void> {
        const { memory, by, attempt } = this.parts;
        let behind = '';
        for (;;) {
            const keys = await attempt(stepKey, () => memory.keys(stepKey, LOADED, { behind, limit: PAGE }));
            const values = await attempt(stepKey, () => memory.recall(stepKey, keys));
            const all = [...values.values()].map(readSeen).filter(isLoaded);
            const missed = all.filter(seen => isMissedBy(seen, by)).map(({ key }) => key);
            const isThere = await this.metOtherwise(stepKey, missed, found);
            for (const seen of all) yield { key: seen.key, isMissing: isMissedBy(seen, by) && !isThere(seen.key) };
            if (keys.length < PAGE) return;
            behind = keys.at(-1)!;
        }
    }

    /** The records that another of their keys matched: the shop has them under the key that the source now lists first. */
    private async metOtherwise(
        stepKey: string,
        missed: readonly string[],
        found: Sweep['found'],
    ): Promise<(key: string) => boolean> {
        if (!found || missed.length === 0) return () => false;
        const others = await this.parts.attempt(stepKey, () => found(missed));
        const there = await this.seen(stepKey, [...others.values()].flat());
        return key => others.get(key)?.some(other => there.has(storedKey(other))) ?? false;
    }

    /** Everything in the shop that matches the filter. */
    private async *filtered(stepKey: string, listed: NonNullable<Sweep['listed']>): AsyncGenerator<Known, void, void> {
        let from: JsonValue | undefined;
        do {
            const at = from;
            const page = await this.parts.attempt(stepKey, () => listed({ from: at, limit: PAGE }));
            const there = await this.seen(stepKey, page.entities.flat());
            for (const keys of page.entities)
                yield { key: keys[0], isMissing: !keys.some(key => there.has(storedKey(key))) };
            from = page.next;
        } while (from !== undefined);
    }

    /** Which of these this run, or one that has started later, has seen, as they are remembered. */
    private async seen(stepKey: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
        const { memory, by, attempt } = this.parts;
        const wanted = [...new Set(keys.map(storedKey))];
        const seen = new Set<string>();
        for (let at = 0; at < wanted.length; at += PAGE) {
            const values = await attempt(stepKey, () => memory.recall(stepKey, wanted.slice(at, at + PAGE)));
            for (const [key, value] of values) if (!isMissedBy(readSeen(value), by)) seen.add(key);
        }
        return seen;
    }
}
