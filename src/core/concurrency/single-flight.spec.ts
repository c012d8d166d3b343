import { SingleFlight } from './single-flight';

describe('shared results', () => {
    it('are requested once by simultaneous callers, and again by later ones', async () => {
        const answers = new SingleFlight<string>();
        let requested = 0;
        const ask = async (): Promise<string> => {
            await Promise.resolve();
            return `answer ${++requested}`;
        };
        const first = await Promise.all([answers.of('a', ask), answers.of('a', ask), answers.of('b', ask)]);
        expect(first).toEqual(['answer 1', 'answer 1', 'answer 2']);
        expect(await answers.of('a', ask)).toBe('answer 3');
    });

    it('fail for all waiting callers, and for no later one', async () => {
        const answers = new SingleFlight<string>();
        const fail = (): Promise<string> => Promise.reject(new Error('no'));
        const failed = await Promise.allSettled([answers.of('a', fail), answers.of('a', fail)]);
        expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
        expect(await answers.of('a', () => Promise.resolve('yes'))).toBe('yes');
    });
});
