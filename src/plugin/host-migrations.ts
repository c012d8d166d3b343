import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { RuntimeVendureConfig } from '@vendure/core';
import { getMetadataArgsStorage } from 'typeorm';
import { flowMigrations } from '../../migrations';
import { flowError } from '../core/errors/flow-error';
import { flowEntities } from './entities/flow-entities';

type Migrations = RuntimeVendureConfig['dbConnectionOptions']['migrations'];

/** A migration of the shop, as text. It is only read, because loading it is the task of TypeORM. */
interface Written {
    readonly where: string;
    readonly text: string;
}

/**
 * Throws MIGRATION_DUPLICATE for a migration of the shop that also creates tables of Flow, because it was generated before Flow's tables
 * existed. The second one of the two migrations would fail, and on a database whose DDL is not part of transactions it would leave half of
 * its changes.
 */
export function rejectForeignMigrations(migrations: Migrations): void {
    const ours = new Set(flowTableNames());
    for (const { where, text } of written(migrations)) {
        const tables = [...new Set(tablesMadeBy(text))].filter(name => ours.has(name));
        if (tables.length > 0) throw flowError('MIGRATION_DUPLICATE', { where, tables: listed(tables) });
    }
}

/** Reads the names from the decorators, which are available without a data source. */
function flowTableNames(): readonly string[] {
    const tables = getMetadataArgsStorage().filterTables(flowEntities);
    return tables.map(({ name }) => name).filter(name => name !== undefined);
}

const SHOWN = 3;

function listed(tables: readonly string[]): string {
    const more = tables.length - SHOWN;
    return tables.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Finds names in quotes of any kind, also escaped ones, with or without a schema before them. */
function tablesMadeBy(text: string): readonly string[] {
    const made = upOf(text).matchAll(/create\s+table\s+(?:if\s+not\s+exists\s+)?([^\s(]+)/gi);
    return [...made].map(([, name]) => name!.replace(/[\\"'`[\]]/g, '').replace(/^.*\./, ''));
}

/** The text without `down`: in a migration that deletes the tables, `down` creates them, but only a revert executes it. */
function upOf(text: string): string {
    const down = text.search(/\bdown\s*[(=]/);
    const up = text.search(/\bup\s*[(=]/);
    if (up < 0 || down < 0) return text;
    return up < down ? text.slice(up, down) : text.slice(up);
}

/** Reads migrations in both forms that TypeORM accepts: classes, and globs of files. */
function written(migrations: Migrations): readonly Written[] {
    return Object.values(migrations ?? {}).flatMap((migration): readonly Written[] => {
        if (typeof migration === 'string') return filesOf(migration);
        if (typeof migration !== 'function' || (flowMigrations as readonly unknown[]).includes(migration)) return [];
        return [{ where: migration.name, text: classText(migration) }];
    });
}

/** If a class was compiled to functions, its methods are outside of its text. */
function classText(migration: { readonly prototype: unknown }): string {
    const { up } = (migration.prototype ?? {}) as { readonly up?: unknown };
    return typeof up === 'function' ? String(up) : String(migration);
}

const MAGIC = /[*?[\]{}]|[!?*+@]\(/;
const IS_SOURCE = /(?<!\.d)\.[cm]?[jt]s$/;

function filesOf(glob: string): readonly Written[] {
    const parts = glob.split(sep).join('/').split('/');
    const firstMagic = parts.findIndex(part => MAGIC.test(part));
    if (firstMagic < 0) return readable([glob]);
    const folder = parts.slice(0, firstMagic).join('/') || (glob.startsWith('/') ? '/' : '.');
    const pattern = globPattern(parts.slice(firstMagic).join('/'));
    const isDeep = parts.length - firstMagic > 1 || parts[firstMagic]!.includes('**');
    return readable(
        entriesOf(folder, isDeep)
            .filter(name => pattern.test(name.split(sep).join('/')))
            .map(name => join(folder, name)),
    );
}

function entriesOf(folder: string, isDeep: boolean): readonly string[] {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
        if (!entry.isDirectory()) return [entry.name];
        // Packages contain no migrations of the shop, and walking through them takes seconds.
        if (!isDeep || entry.name === 'node_modules') return [];
        return entriesOf(join(folder, entry.name), isDeep).map(name => join(entry.name, name));
    });
}

function readable(files: readonly string[]): readonly Written[] {
    return files
        .filter(file => IS_SOURCE.test(file) && statSync(file, { throwIfNoEntry: false })?.isFile())
        .map(file => ({ where: file, text: readFileSync(file, 'utf8') }));
}

const TOKEN = /\*\*\/|[!?*+@]\([^()]*\)|\{[^{}]*\}|\*+|\?|\[[^\]]*\]|[^\w/]/g;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Converts the globs that are common for migrations and their folders: `*.+(js|ts)`, `*.{js,ts}`, `*{.js,.ts}`. */
function globPattern(glob: string): RegExp {
    const source = glob.replace(TOKEN, token => {
        if (token === '**/') return '(?:.*/)?';
        if (token.length > 1 && token.startsWith('**')) return '.*';
        if (token === '*') return '[^/]*';
        if (token === '?') return '[^/]';
        if (token.startsWith('{')) return oneOf(token.slice(1, -1).split(','));
        if (token.length > 1 && token.startsWith('[')) return token.replace(/^\[!/, '[^');
        if (token.length === 1) return escaped(token);
        const quantifier = token.startsWith('@') ? '' : token[0]!;
        return token.startsWith('!') ? '[^/]*' : oneOf(token.slice(2, -1).split('|')) + quantifier;
    });
    return new RegExp(`^${source}$`);
}

function oneOf(choices: readonly string[]): string {
    return `(?:${choices.map(escaped).join('|')})`;
}
