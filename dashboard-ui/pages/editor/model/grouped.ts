/** The elements of a list by a key, keys in the order in which they turn up. */
export function grouped<T, K>(list: readonly T[], keyOf: (element: T) => K): ReadonlyMap<K, readonly T[]> {
    const groups = new Map<K, T[]>();
    for (const element of list) {
        const key = keyOf(element);
        const group = groups.get(key);
        if (group) group.push(element);
        else groups.set(key, [element]);
    }
    return groups;
}
