import { join } from 'node:path';
import * as ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** The texts of all specs of a group. */
const texts = new Map<string, string>();
let program: ts.Program | undefined;

/**
 * A program with texts by their paths. They are not written to disk, and replace the files with the same paths. To infer the types of all adapters
 * takes the compiler longer than anything else, so the specs of a group share one program. Call this outside of tests, and its result within them: by
 * then, all specs have added their texts.
 */
export function compiledBeside(files: ReadonlyMap<string, string>): () => ts.Program {
    for (const [file, text] of files) texts.set(file, text);
    program = undefined;
    return () => (program ??= programOf(texts));
}

function programOf(files: ReadonlyMap<string, string>): ts.Program {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), file => ts.sys.readFile(file)) as {
        config: object;
    };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: ['unused.ts'] }, ts.sys, ROOT);
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = file => files.has(file) || fileExists(file);
    host.readFile = file => files.get(file) ?? readFile(file);
    host.getSourceFile = (file, target, ...rest) => {
        const text = files.get(file);
        return text === undefined ? getSourceFile(file, target, ...rest) : ts.createSourceFile(file, text, target);
    };
    return ts.createProgram([...files.keys()], options, host);
}
