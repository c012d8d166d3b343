/** What an object holds under a name that a user has given. A name such as "constructor" must not find what every object inherits. */
export function own<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
    return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A copy, or an empty one, that inherits nothing: "__proto__" is a name in it like any other. */
export function byName<T>(from: Readonly<Record<string, T>> = {}): Record<string, T> {
    return Object.assign(Object.create(null) as Record<string, T>, from);
}
