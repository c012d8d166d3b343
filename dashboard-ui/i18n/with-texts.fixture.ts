import { transformSync } from '@babel/core';
import { type I18n, type Messages, setupI18n } from '@lingui/core';
import { makeConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file below `dashboard-ui`, evaluated as the build of the pages leaves it: its macros replaced. What it imports is given by name. */
export function withMacros<T>(file: string, imports: Readonly<Record<string, unknown>> = {}): T {
    const filename = join(__dirname, '..', file);
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
        filename,
        babelrc: false,
        configFile: false,
        presets: ['@babel/preset-typescript'],
        plugins: [
            ['@lingui/babel-plugin-lingui-macro', { linguiConfig: makeConfig({ locales: ['en'] }) }],
            '@babel/plugin-transform-modules-commonjs',
        ],
    })!;
    const exports = {};
    new Function('require', 'exports', code!)((name: string) => {
        if (!(name in imports)) throw new Error(`${file} imports ${name}, which is not given`);
        return imports[name];
    }, exports);
    return exports as T;
}

const known = new Map<string, Promise<I18n>>();

/** The texts of the pages in a language, as `<language>.po` has them. */
export function textsIn(language: string): Promise<I18n> {
    const texts = known.get(language) ?? read(language);
    known.set(language, texts);
    return texts;
}

async function read(language: string): Promise<I18n> {
    const filename = join(__dirname, `${language}.po`);
    const catalog = await formatter().parse(readFileSync(filename, 'utf8'), {
        locale: language,
        sourceLocale: 'en',
        filename,
    });
    const messages: Messages = {};
    for (const [id, { translation, message }] of Object.entries(catalog))
        messages[id] = compileMessage(translation || message || '');
    return setupI18n({ locale: language, messages: { [language]: messages } });
}
