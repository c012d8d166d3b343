/** A storage of the browser; a full or closed one stores nothing. */
export type BrowserStorage = Pick<globalThis.Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The JSON value with a name; undefined if it is not JSON, null if there is none. */
export function readStored(storage: BrowserStorage, name: string): unknown {
    try {
        return JSON.parse(storage.getItem(name) ?? 'null');
    } catch {
        return undefined; // Whatever it is, it was not written here.
    }
}

/** Returns whether the value was stored. */
export function writeStored(storage: BrowserStorage, name: string, value: unknown): boolean {
    try {
        storage.setItem(name, JSON.stringify(value));
        return true;
    } catch {
        return false;
    }
}

export function dropStored(storage: BrowserStorage, name: string): void {
    try {
        storage.removeItem(name);
    } catch {
        return; // It stores nothing then, either.
    }
}
