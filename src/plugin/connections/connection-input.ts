import type { ConnectionType } from '../../core/adapter/connection';
import type { Registry } from '../../core/adapter/registry';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { flowError } from '../../core/errors/flow-error';
import { CODE_ALLOWED, RESOURCE_CODE } from '../../core/schema/fields';
import { clause } from '../../core/errors/rendered';
import { ISSUE_TEXTS } from '../../core/schema/issue-texts';
import { issueAt, issueBecause, type SchemaIssue, issueFacts } from '../../core/schema/issues';
import { checkedSettings, connectionType } from '../options/connection-settings';

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
        throw flowError('INPUT_INVALID', { problem: issueFacts(this.found) }, { details: { issues } });
    }
}

/** Checks the form of the code. */
export function checkConnectionCode(code: string, issues: InputIssues): void {
    if (RESOURCE_CODE.test(code)) return;
    const allowed = CODE_ALLOWED.slice('allowed: '.length);
    issues.add(issueAt('code', ISSUE_TEXTS.invalid, { value: show(code), allowed }));
}

/** The name without surrounding spaces. */
export function checkedName(name: string, issues: InputIssues): string {
    const text = name.trim();
    if (text === '' || text.length > MAX_NAME || /\p{Cc}/u.test(text)) {
        const allowed = clause`one line of 1 to ${MAX_NAME} characters`;
        issues.add(issueAt('name', ISSUE_TEXTS.invalid, { value: show(name), allowed }));
    }
    return text;
}

/** The type, if callers of the API may use it. */
export function checkedType(code: string, registry: Registry, issues: InputIssues): ConnectionType | undefined {
    const type = connectionType(registry, code);
    if (!type) {
        const hint = registry.hint('connection', code.slice(0, 64));
        issues.add(issueAt('type', ISSUE_TEXTS.noConnectionType, { value: show(code), hint }));
    }
    if (!type?.isCodeFirstOnly) return type;
    const reason = clause`is ${show(code)}; connections of type ${type.code} can only be defined in the shop's code (plugin option connections)`;
    issues.add(issueBecause('type', reason, 'verb'));
    return undefined;
}

/** The settings as they are stored. */
export function checkedInput(type: ConnectionType, settings: unknown, faults: InputIssues): JsonObject {
    const { stored, issues } = checkedSettings(type, settings);
    faults.add(...issues);
    return stored;
}
