/** Undoes what `global-setup.ts` did. Jest loads the two as separate modules, so they share the global object. */
export default async function globalTeardown(): Promise<void> {
    await (globalThis as { releaseTestServers?: () => Promise<void> }).releaseTestServers?.();
}
