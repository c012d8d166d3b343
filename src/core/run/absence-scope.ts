import type { JsonValue } from '../value/json';
import type { StateStore } from '../ports/ports';
import type { StepReconciler } from '../steps/step';
import { isLoaded, isAbsentFor, LOADED, readSeenSet, type SeenByStep, storedKey } from '../steps/step-reconciler';

/** The number of entities in one page. */
const PAGE = 500;

interface ScopeParts {
    readonly by: SeenByStep;
    readonly memory: StateStore;
    attempt<T>(stepKey: string, work: () => Promise<T>): Promise<T>;
}

/** Something that may be missing. */
interface Known {
    /** The key by which it is loaded. */
    readonly key: string;
    readonly isMissing: boolean;
}

/** The entities of a step that may be missing, and those of them that the run has not seen: page by page, in constant memory. */
export class AbsenceScope {
    constructor(private readonly parts: ScopeParts) {}

    all(
        stepKey: string,
        { listed, found }: Pick<StepReconciler, 'listed' | 'found'>,
    ): AsyncGenerator<Known, void, void> {
        return listed ? this.filtered(stepKey, listed) : this.loaded(stepKey, found);
    }

    /** Everything that the step remembers as loaded and not as missing. */
    private async *loaded(stepKey: string, found: StepReconciler['found']): AsyncGenerator<Known, void, void> {
        const { memory, by, attempt } = this.parts;
        let after = '';
        for (;;) {
            const keys = await attempt(stepKey, () => memory.keys(stepKey, LOADED, { behind: after, limit: PAGE }));
            const values = await attempt(stepKey, () => memory.recall(stepKey, keys));
            const all = [...values.values()].map(readSeenSet).filter(isLoaded);
            const missed = all.filter(seen => isAbsentFor(seen, by)).map(({ key }) => key);
            const isThere = await this.matchedByAlias(stepKey, missed, found);
            for (const seen of all) yield { key: seen.key, isMissing: isAbsentFor(seen, by) && !isThere(seen.key) };
            if (keys.length < PAGE) return;
            after = keys.at(-1)!;
        }
    }

    /** The records that another of their keys matched: the shop has them under the key that the source now lists first. */
    private async matchedByAlias(
        stepKey: string,
        missed: readonly string[],
        found: StepReconciler['found'],
    ): Promise<(key: string) => boolean> {
        if (!found || missed.length === 0) return () => false;
        const others = await this.parts.attempt(stepKey, () => found(missed));
        const there = await this.seen(stepKey, [...others.values()].flat());
        return key => others.get(key)?.some(other => there.has(storedKey(other))) ?? false;
    }

    /** Everything in the shop that matches the filter. */
    private async *filtered(
        stepKey: string,
        listed: NonNullable<StepReconciler['listed']>,
    ): AsyncGenerator<Known, void, void> {
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
        const desired = [...new Set(keys.map(storedKey))];
        const seen = new Set<string>();
        for (let at = 0; at < desired.length; at += PAGE) {
            const values = await attempt(stepKey, () => memory.recall(stepKey, desired.slice(at, at + PAGE)));
            for (const [key, value] of values) if (!isAbsentFor(readSeenSet(value), by)) seen.add(key);
        }
        return seen;
    }
}
