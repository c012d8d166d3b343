import type { Disturbance } from './server';

type Fault = (answer: () => Promise<object>) => ReturnType<Disturbance>;

/** Failures that the PIM may return instead of a page, by their titles. */
export const PIM_FAULTS: ReadonlyArray<readonly [string, Fault]> = [
    ['429 for each page', () => ({ status: 429, headers: { 'retry-after': '0' } })],
    ['500 for each page', () => ({ status: 500 })],
    [
        'errors in addition to each page',
        async answer => {
            const body = await answer();
            return { body: 'data' in body ? { ...body, errors: [{ message: 'no such price' }] } : body };
        },
    ],
    ['half of each page', async answer => ({ body: await answer(), isCut: true })],
];

/** Each page is requested twice: the first answer fails. */
export function everyOther(issue: Fault): Disturbance {
    let number = 0;
    return (_request, answer) => (number++ % 2 === 0 ? issue(answer) : undefined);
}
