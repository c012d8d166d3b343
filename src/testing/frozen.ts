/** Freezes a value through and through, so that whoever changes it is caught. */
export function deepFrozen<T>(value: T): T {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(deepFrozen);
    }
    return value;
}
