import { clause, type Problem, englishOf } from '../../core/errors/rendered';
import type { ConnectionSource } from '../../core/pipeline/connector';
import type { Registry } from '../../core/adapter/registry';
import { show } from '../../core/value/show';
import type { SchemaIssue } from '../../core/schema/issues';
import { checkedSettings, connectionType } from './connection-settings';
import { optionInvalid } from './joined';

/**
 * Checks code-first connections against their types. Returns them with the type's own code and real enum values, without the defaults of the schema. Throws
 * OPTION_INVALID with the issues of all of them. While other plugins may still register types (`isComplete: false`), unknown types alone do not make it throw.
 */
export function checkConnections(
    sources: readonly ConnectionSource[],
    registry: Registry,
    isComplete: boolean,
): readonly ConnectionSource[] {
    const issues: SchemaIssue[] = [];
    const checked = sources.map(source => checkConnection(source, registry, issues));
    const unknown = sources.filter(({ type }) => !connectionType(registry, type));
    if (issues.length > (isComplete ? 0 : unknown.length)) throw optionInvalid(issues);
    return checked;
}

function checkConnection(source: ConnectionSource, registry: Registry, issues: SchemaIssue[]): ConnectionSource {
    const report = (problem: Problem): number =>
        issues.push({ path: 'connections', message: `connection "${source.code}": ${englishOf(problem)}` });
    const type = connectionType(registry, source.type);
    if (!type) {
        report(
            clause`no connection type has the code ${show(source.type)}. ${registry.hint('connection', source.type.slice(0, 64))}`,
        );
        return source;
    }
    const { stored: settings, issues: faults } = checkedSettings(type, source.settings);
    for (const { message } of faults) report(message);
    return { ...source, type: type.code, settings };
}
