/** The environment variable of a secret or a key; undefined when it is not set or empty. Read at each use. */
export function environmentVariable(name: string): string | undefined {
    const value = process.env[name];
    return value === '' ? undefined : value;
}
