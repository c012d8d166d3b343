import vm from 'node:vm';

/** Jest handles `import()` separately for each test file, so this code is compiled for each file. */
const IMPORTS = /\bimport\s*\(/;

interface CompiledScript {
    readonly head: string;
    readonly source: string;
    readonly script: vm.Script;
}

/** Modules that this worker has compiled, by their paths. */
const compiled = new Map<string, CompiledScript>();

/**
 * Jest evaluates and compiles all modules again for each test file. This keeps the code that V8 has compiled, so only the first file of a worker
 * waits for it.
 */
export function keepCompiledScripts(): void {
    const compileFunction = vm.compileFunction.bind(vm);
    const compileOnce: typeof vm.compileFunction = (source, parameters = [], options = {}) => {
        const { filename, parsingContext } = options;
        if (!filename || !parsingContext || IMPORTS.test(source) || source.startsWith('#!'))
            return compileFunction(source, parameters, options);
        const head = `(function (${parameters.join(', ')}) {`;
        let known = compiled.get(filename);
        if (known?.source !== source || known.head !== head) {
            const statementProgram = new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length });
            known = { head, source, script: statementProgram };
            compiled.set(filename, known);
        }
        return known.script.runInContext(parsingContext) as ReturnType<typeof compileFunction>;
    };
    Object.assign(vm, { compileFunction: compileOnce });
}
