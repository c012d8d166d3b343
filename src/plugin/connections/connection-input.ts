import type { ConnectionType } from '../../core/adapter/connection';
import type { Registry } from '../../core/adapter/registry';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { CODE_ALLOWED, RESOURCE_CODE } from '../../core/schema/fields';
import type { SchemaIssue } from '../../core/schema/issues';
import { aside, checkedSettings, connectionType } from '../options/connection-settings';

/** A connection as a caller of the API describes it. */
export interface ConnectionInput {
    readonly code: string;
    readonly name?: string | null;
    readonly type: string;
    readonly settings: unknown;
}

/** The changes to a connection. Omitted properties stay unchanged. */
export interface ConnectionChange {
    readonly version: number;
    readonly name?: string | null;
    readonly settings?: unknown;
}

const MAX_NAME = 255;

/** Collects all issues of an input, so that they are reported together. */
export class InputIssues {
    private readonly found: SchemaIssue[] = [];

    add(...issues: readonly SchemaIssue[]): void {
        this.found.push(...issues);
    }

    /** Throws INPUT_INVALID with the issues in its details, if there are any. */
    check(): void {
        if (this.found.length === 0) return;
        const issues = this.found.map(({ path, message }) => ({ path, message }));
        const problem = issues.map(({ message }) => message).join('; ');
        throw flowError('INPUT_INVALID', { problem }, { details: { issues } });
    }
}

/** Checks the form of the code. */
export function checkConnectionCode(code: string, issues: InputIssues): void {
    if (!RESOURCE_CODE.test(code)) issues.add({ path: 'code', message: `code is ${show(code)}; ${CODE_ALLOWED}` });
}

/** The name without surrounding spaces. */
export function checkedName(name: string, issues: InputIssues): string {
    const text = name.trim();
    if (text === '' || text.length > MAX_NAME || /\p{Cc}/u.test(text)) {
        issues.add({
            path: 'name',
            message: `name is ${show(name)}; allowed: one line of 1 to ${MAX_NAME} characters`,
        });
    }
    return text;
}

/** The type, if callers of the API may use it. */
export function checkedType(code: string, registry: Registry, issues: InputIssues): ConnectionType | undefined {
    const type = connectionType(registry, code);
    if (!type)
        issues.add({
            path: 'type',
            message: `type is ${show(code)}, which is not a connection type ${aside(registry.hint('connection', code.slice(0, 64)))}`,
        });
    if (!type?.isCodeFirstOnly) return type;
    issues.add({
        path: 'type',
        message: `type is ${show(code)}; connections of type ${type.code} can only be defined in the shop's code (plugin option connections)`,
    });
    return undefined;
}

/** The settings as they are stored. */
export function checkedInput(type: ConnectionType, settings: unknown, faults: InputIssues): JsonObject {
    const { stored, issues } = checkedSettings(type, settings);
    faults.add(...issues);
    return stored;
}
