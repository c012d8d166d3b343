import { collection } from '../described/collection';
import type { CollectionState } from '../described/collection-state';
import type { Found, ReadRecord } from '../entities/refinement';
import { spellings } from '../entities/spellings';
import type { DesiredCollection } from './read-collection';

/** Numbers below `count`, each behind those that have to come before it; where these go in a circle, one of them does not. */
export function precedenceOrder(count: number, before: (index: number) => readonly number[]): readonly number[] {
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

/** The order in which records are decided: each behind that of what it is to stand below; deletes behind those of what stands below them. */
export function treeOrder(
    records: ReadonlyArray<ReadRecord<DesiredCollection>>,
    found: Found<CollectionState, DesiredCollection>,
): readonly number[] {
    const [first, last] = [new Map<string, number>(), new Map<string, number>()];
    const deletedBelow = new Map<string, number[]>();
    const before = new Map<number, number>();
    const remember = (parent: string, i: number): void => {
        const known = deletedBelow.get(parent);
        if (known) known.push(i);
        else deletedBelow.set(parent, [i]);
    };
    const given = new Map<string, readonly string[]>();
    records.forEach(({ desired, faults }, i) => {
        const { key, parent, isDelete } = desired;
        if (!faults.isSound || key === undefined) return;
        const earlier = last.get(key);
        // What comes twice is applied in order.
        if (earlier !== undefined) before.set(i, earlier);
        last.set(key, i);
        if (typeof parent === 'string' && !isDelete) given.set(key, spellings(collection, parent));
        if (!isDelete && !first.has(key)) first.set(key, i);
        if (!isDelete) return;
        for (const { ownerToken } of found(desired)) if (ownerToken !== undefined) remember(ownerToken, i);
        for (const slug of given.get(key) ?? []) remember(`slug ${slug}`, i);
    });
    return precedenceOrder(records.length, i => {
        const { key, parent, isDelete } = records[i]!.desired;
        const own = before.get(i) ?? [];
        const others = isDelete
            ? [...found(records[i]!.desired).map(({ token }) => token), `slug ${key}`].flatMap(
                  token => deletedBelow.get(token) ?? [],
              )
            : typeof parent === 'string'
              ? spellings(collection, parent).flatMap(slug => first.get(slug) ?? [])
              : [];
        return [own, others].flat();
    });
}
