/**
 * The own property with a name that a user has given. A name such as "constructor" must not find an inherited property.
 */
export function own<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
    return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A copy, or an empty object, without a prototype: "__proto__" is an ordinary name in it. */
export function byName<T>(from: Readonly<Record<string, T>> = {}): Record<string, T> {
    return Object.assign(Object.create(null) as Record<string, T>, from);
}
