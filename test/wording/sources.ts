import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type ts from 'typescript';
import { parsedSource } from '../kit/parsed-source';

const FOLDERS = ['bench', 'demo', 'e2e', 'scripts', 'src', 'test'];

/** Whether a file contains assertions: a spec, a suite, or code that they share. */
const isTest = (file: string): boolean => /^(e2e|test)\//.test(file) || file.endsWith('.spec.ts');

const parsed = (root: string, desired: (file: string) => boolean): ts.SourceFile[] =>
    FOLDERS.flatMap(folder =>
        readdirSync(join(root, folder), { recursive: true }).map(
            name => `${folder}/${String(name).replaceAll('\\', '/')}`,
        ),
    )
        .filter(file => file.endsWith('.ts') && desired(file))
        .sort()
        .map(file => parsedSource(file, readFileSync(join(root, file), 'utf8')));

/** Every file of the repository that contains assertions. */
export const testSources = (root: string): ts.SourceFile[] => parsed(root, isTest);

/** Every file of the package, whose messages people read. */
export const packageSources = (root: string): ts.SourceFile[] =>
    parsed(root, file => /^(scripts|src)\//.test(file) && !isTest(file));
