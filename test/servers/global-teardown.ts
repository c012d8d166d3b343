/** Undoes what `global-setup.ts` did; jest loads the two as separate modules, hence the way over the global object. */
export default async function globalTeardown(): Promise<void> {
    await (globalThis as { releaseTestServers?: () => Promise<void> }).releaseTestServers?.();
}
