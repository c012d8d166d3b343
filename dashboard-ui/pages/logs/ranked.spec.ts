import { ranked } from './ranked';

describe('the pipelines of a time', () => {
    it('begin with those that ask for a look', () => {
        const share = (name: string, runs: number, failed: number, recordsRejected: number) => ({
            pipeline: { name },
            figures: { runs, failed, recordsRejected },
        });
        const all = [
            share('quiet', 1, 0, 0),
            share('busy', 90, 0, 0),
            share('refusing', 2, 0, 40),
            share('failing', 3, 2, 0),
            share('also quiet', 1, 0, 0),
        ];
        expect(ranked(all).map(({ pipeline }) => pipeline.name)).toEqual([
            'failing',
            'refusing',
            'busy',
            'also quiet',
            'quiet',
        ]);
    });
});
