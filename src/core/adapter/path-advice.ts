import { safeParse, type z } from 'zod';
import { pathOf } from '../data/path';
import { definitionOf, type Schema, wrappedBy } from '../schema/definition';
import { alternativesOf, bare, childSchema } from '../schema/walk';
import { show } from '../value/show';
import { isJsonObject, type JsonValue } from '../value/json';
import type { Advice } from './base';

/** Warns of paths of a configuration that are spelled as JSONPath (`$.a.b`) or JSON Pointer (`/a/b`): they would be read as names of fields. */
export function advisePaths(given: Schema, value: JsonValue, at = ''): readonly Advice[] {
    const schema = alternativesOf(given).find(one => safeParse(one, value).success) ?? given;
    const isPath = hasWidget(given, 'path') || hasWidget(schema, 'path');
    if (typeof value === 'string') return isPath ? foreignPath(value, at) : [];
    if (typeof value !== 'object' || value === null) return [];
    const within = (key: string | number): string => (at === '' ? String(key) : `${at}.${key}`);
    const isPathList = Array.isArray(value) && isPath;
    return Object.entries(value).flatMap(([key, inner]) => {
        if (typeof inner === 'string' && (isPathList || isPathMapping(schema))) return foreignPath(inner, within(key));
        const child = childSchema(schema, isJsonObject(value) ? key : Number(key), value);
        return child ? advisePaths(child, inner as JsonValue, within(key)) : [];
    });
}

function foreignPath(text: string, path: string): readonly Advice[] {
    const names = foreignNames(text);
    if (!names) return [];
    const meant = names.map(pathOf).join('.');
    const problem = `is ${show(text)}, which reads a field that is called ${show(text.startsWith('$') ? '$' : text)}; write ${show(meant)}`;
    return [{ code: 'LIKELY_MISTAKE', path, problem }];
}

/** The names in a path of another spelling; undefined for what is not spelled so. */
function foreignNames(text: string): readonly string[] | undefined {
    if (/^\/[^./\s]+(\/[^./\s]+)*$/.test(text)) return text.slice(1).split('/');
    if (!/^\$(\.[^.[\]]+|\[(\d+|'[^']*'|"[^"]*")\])+$/.test(text)) return undefined;
    return [...text.matchAll(/\.([^.[\]]+)|\[(?:(\d+)|'([^']*)'|"([^"]*)")\]/g)].map(
        found => found.slice(1).find(Boolean) ?? '',
    );
}

function isPathMapping(schema: Schema): boolean {
    const definition = definitionOf(bare(schema));
    if (definition.type !== 'record' || !hasWidget(schema, 'mapping')) return false;
    return definitionOf(bare(definition.valueType)).type === 'string';
}

/** The meta may be on a schema that wraps it. */
function hasWidget(schema: Schema, widget: string): boolean {
    if ((schema as z.ZodType).meta?.()?.['widget'] === widget) return true;
    const inner = wrappedBy(schema);
    return inner !== undefined && hasWidget(inner, widget);
}
