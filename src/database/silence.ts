/** No answer yet. */
export const SILENCE: unique symbol = Symbol('no answer yet');

/** The answer, or SILENCE when it does not come in time; then it is dropped. */
export async function within<T>(answer: Promise<T>, ms: number): Promise<T | typeof SILENCE> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof SILENCE>(resolve => {
        timer = setTimeout(resolve, ms, SILENCE);
    });
    try {
        return await Promise.race([answer, late]);
    } finally {
        clearTimeout(timer);
    }
}
