import vm from 'node:vm';

// The environment of each test file has installed `keepCompiledScripts` before this file is evaluated.

const contextOf = (name: string): vm.Context => vm.createContext({ name });
const evaluated = (source: string, parsingContext: vm.Context, options: vm.CompileFunctionOptions = {}): unknown =>
    (
        vm.compileFunction(source, ['given'], { filename: '/modules/a.js', parsingContext, ...options }) as (
            given: number,
        ) => unknown
    )(5);

describe('a module that several test files evaluate', () => {
    it('has the globals of each of them, and its own arguments', () => {
        const [first, second] = [contextOf('first'), contextOf('second')];
        const text = 'return { text: `${name} ${given}`, list: [] };';
        for (const context of [first, second]) {
            const { text: said, list } = evaluated(text, context) as { text: string; list: unknown };
            expect(said).toBe(`${String(context['name'])} 5`);
            expect(list).toBeInstanceOf(vm.runInContext('Array', context));
        }
    });

    it('is compiled again after it has changed', () => {
        const context = contextOf('a');
        expect(evaluated('return 1;', context)).toBe(1);
        expect(evaluated('return 2;', context)).toBe(2);
    });

    it.each([
        ['in its first line', 'throw new Error("odd");', '/modules/a.js:1:7'],
        ['further down', '\n\n  throw new Error("odd");', '/modules/a.js:3:9'],
    ])('names the place of an error %s', (_, text, place) => {
        const run = (): unknown => evaluated(`try { ${text} } catch (error) { return error.stack; }`, contextOf('a'));
        const shift = text.startsWith('\n') ? 0 : 'try { '.length;
        const [, line, column] = /:(\d+):(\d+)$/.exec(place)!;
        expect(run()).toContain(`/modules/a.js:${line}:${Number(column) + shift}`);
    });

    it('has its `import()` answered by the file that evaluates it', async () => {
        const load = (answer: string): unknown =>
            evaluated("return import('elsewhere');", contextOf('a'), {
                importModuleDynamically: () => Promise.reject(new Error(answer)),
            });
        await expect(load('first')).rejects.toThrow('first');
        await expect(load('second')).rejects.toThrow('second');
    });
});
