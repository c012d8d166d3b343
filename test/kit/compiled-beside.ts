import { join } from 'node:path';
import * as ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** Texts that stand in no file, by paths: all in one program, so that the compiler reads what they import only once. */
export function compiledBeside(files: ReadonlyMap<string, string>): ts.Program {
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
