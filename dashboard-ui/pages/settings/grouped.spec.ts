import { grouped, nameIn, spanText, unitOf } from './grouped';

const settings = [
    { path: 'retention.runsDays', value: 90 },
    { path: 'registerBuiltinAdapters', value: true },
    { path: 'security.allowedHostnames', value: ['pim.example.com'] },
    { path: 'retention.logsDays', value: 30 },
];
const paths = (text: string) =>
    grouped(settings, text).map(({ name, settings: of }) => [name, of.map(({ path }) => path)]);

describe('the settings in force', () => {
    it('are grouped by the beginning of their paths', () => {
        expect(paths('')).toEqual([
            ['', ['registerBuiltinAdapters']],
            ['retention', ['retention.runsDays', 'retention.logsDays']],
            ['security', ['security.allowedHostnames']],
        ]);
    });

    it('are found by path and value', () => {
        expect(paths('RUNSDAYS')).toEqual([['retention', ['retention.runsDays']]]);
        expect(paths('pim.example')).toEqual([['security', ['security.allowedHostnames']]]);
        expect(paths('nothing of this')).toEqual([]);
    });

    it('are called by what their group does not say already', () => {
        const [alone, retention] = grouped(settings, '');
        expect([alone, retention].map(group => nameIn(group!, group!.settings[0]!))).toEqual([
            'registerBuiltinAdapters',
            'runsDays',
        ]);
    });

    it('count milliseconds and bytes where their names say so', () => {
        const units = [
            { path: 'runtime.leaseMs', value: 30_000 },
            { path: 'security.maxResponseBytes', value: 33_554_432 },
            { path: 'files.maxFileSize', value: 104_857_600 },
            { path: 'retention.runsDays', value: 90 },
            { path: 'runtime.leaseMs', value: null },
        ].map(unitOf);
        expect(units).toEqual(['milliseconds', 'bytes', 'bytes', undefined, undefined]);
    });

    it('say spans of time in a unit in which they are small numbers', () => {
        const spans = [0, 250, 30_000, 90_000, 7_200_000, 86_400_000];
        expect(spans.map(ms => spanText(ms, 'en'))).toEqual([
            '0 milliseconds',
            '250 milliseconds',
            '30 seconds',
            '1.5 minutes',
            '2 hours',
            '1 day',
        ]);
    });
});
