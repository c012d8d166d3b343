import { collection } from '../entity-descriptions/collection';
import type { CollectionState } from '../entity-descriptions/collection-state';
import type { FoundEntity, ReadRecord } from '../entities/entity-extension';
import { isOtherName, keysFor } from '../entities/identity';
import { foldName } from '../../core/data/fold-name';
import { slugOf } from '../entities/slug';
import type { DesiredCollection, ParentReference } from './read-collection';

/** The numbers below `count`, each after those that must precede it; in a cycle, one of these constraints is ignored. */
export function sortByPrecedence(count: number, before: (index: number) => readonly number[]): readonly number[] {
    const order: number[] = [];
    const begun = new Set<number>();
    const done = new Set<number>();
    for (let start = 0; start < count; start++) {
        // No recursion: a file may be one branch of thousands of collections.
        const stack = [start];
        while (stack.length > 0) {
            const at = stack[stack.length - 1]!;
            const first = !begun.has(at);
            begun.add(at);
            const open = first ? before(at).filter(one => !begun.has(one)) : [];
            stack.push(...open.reverse());
            if (open.length > 0) continue;
            stack.pop();
            if (!done.has(at)) order.push(at);
            done.add(at);
        }
    }
    return order;
}

/** The order in which records are decided: each after the record of its parent; deletions after those of the children. */
export function sortByTree(
    records: ReadonlyArray<ReadRecord<DesiredCollection>>,
    foundEntity: FoundEntity<CollectionState, DesiredCollection>,
): readonly number[] {
    const last = new Map<string, number>();
    const begun = new Set<string>();
    const named = new BatchNames();
    const deletedBelow = new Map<string, number[]>();
    const before = new Map<number, number>();
    const given = new Map<string, ParentReference>();
    records.forEach(({ desired, faults: issues }, i) => {
        const { parent, isDelete } = desired;
        const identity = identityOf(desired);
        if (!issues.isSound || identity === undefined) return;
        const earlier = last.get(identity);
        // Repeated keys are applied in order.
        if (earlier !== undefined) before.set(i, earlier);
        last.set(identity, i);
        const isFirst = !isDelete && !begun.has(identity);
        if (isFirst) begun.add(identity);
        if (parent && !isDelete) given.set(identity, parent);
        if (isFirst) named.add(desired, i);
        if (!isDelete) return;
        for (const { ownerToken } of foundEntity(desired))
            if (ownerToken !== undefined) remember(deletedBelow, ownerToken, i);
        for (const text of textsOf(lastOf(given.get(identity) ?? parent))) remember(deletedBelow, `named ${text}`, i);
    });
    return sortByPrecedence(records.length, i => {
        const { desired } = records[i]!;
        const own = before.get(i) ?? [];
        const others = desired.isDelete
            ? [
                  ...foundEntity(desired).map(({ token }) => token),
                  ...ownTexts(desired).map(text => `named ${text}`),
              ].flatMap(token => deletedBelow.get(token) ?? [])
            : named.find(desired.parent);
        return [own, others].flat().filter(other => other !== i);
    });
}

/** The first record of each collection of a batch, by what other records may call it. */
class BatchNames {
    /** By the slugs in records, and by those that are made of names, which have lower priority. */
    private readonly bySlug = new Map<string, number[]>();
    private readonly byMadeSlug = new Map<string, number[]>();
    private readonly byName = new Map<string, number[]>();
    /** By the names from the top level down, where the records give them. */
    private readonly byPath = new Map<string, number[]>();
    private readonly names = new Map<number, string>();

    add({ key, name, parent }: DesiredCollection, i: number): void {
        if (key !== undefined) remember(this.bySlug, slugOf(key), i);
        else if (name !== undefined) remember(this.byMadeSlug, slugOf(name), i);
        if (name === undefined) return;
        remember(this.byName, foldName(name), i);
        if (typeof parent !== 'string') remember(this.byPath, identityOfPath([...(parent ?? []), name]), i);
        this.names.set(i, name);
    }

    /**
     * The records that a parent's text refers to, by the rules of references: those with it as their slug, unless
     * that was made of another name; else those with it as their name; else those with the slug. Equal slugs do not
     * show which record is a child of which.
     */
    find(parent: ParentReference | undefined): readonly number[] {
        const text = lastOf(parent);
        if (typeof text !== 'string') return [];
        if (typeof parent === 'object' && parent)
            return this.byPath.get(identityOfPath(parent)) ?? this.byName.get(foldName(text)) ?? [];
        const isCertain = (i: number): boolean => {
            const name = this.names.get(i);
            return name === undefined || !isOtherName(slugOf, { key: text, name }, text);
        };
        const [given = [], made = []] = [this.bySlug.get(text), this.byMadeSlug.get(text)];
        for (const keyed of [given, made]) {
            const certain = keyed.filter(isCertain);
            if (certain.length > 0) return certain;
        }
        return this.byName.get(foldName(text)) ?? [...given, ...made];
    }
}

function remember(all: Map<string, number[]>, text: string, i: number): void {
    const known = all.get(text);
    if (known) known.push(i);
    else all.set(text, [i]);
}

/** What identifies a record among other collections: its slug, or its name and its parent. */
function identityOf({ key, name, parent }: DesiredCollection): string | undefined {
    if (key !== undefined) return JSON.stringify([key]);
    if (name === undefined) return undefined;
    return JSON.stringify([
        foldName(name),
        Array.isArray(parent) ? identityOfPath(parent as string[]) : (parent ?? null),
    ]);
}

function identityOfPath(names: readonly string[]): string {
    return JSON.stringify(names.map(foldName));
}

/** The slug or name of a direct parent. */
function lastOf(parent: ParentReference | undefined): string | null | undefined {
    return typeof parent === 'object' && parent ? parent[parent.length - 1] : parent;
}

/** The texts by which other records may refer to what a record deletes. */
function ownTexts({ key, name }: DesiredCollection): readonly string[] {
    return [...new Set([...textsOf(key), ...textsOf(name)])];
}

/** A text as a slug and as a name. */
function textsOf(text: string | null | undefined): readonly string[] {
    return typeof text === 'string' ? [...new Set([...keysFor(collection, text), foldName(text)])] : [];
}
