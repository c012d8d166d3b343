import type { RunChannel } from '../lookup/run-channel';
import type { FieldNames } from './entity-config';
import type { DesiredEntity } from './entity-record';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import type { RecordIssues } from './record-issues';
import { requireCustom } from './plan-custom';
import type { DesiredTexts } from './read-texts';

interface Rules {
    readonly store: EntityStore;
    readonly names: FieldNames;
    readonly channel: RunChannel;
}

interface Asked {
    readonly desired: DesiredEntity;
    readonly faults: RecordIssues;
}

/** Each language that is new to an entity needs all its texts, and a new entity the run's own language. */
export function requireTexts(
    { store, names, channel }: Rules,
    { desired, faults: issues }: Asked,
    state: EntityState | undefined,
): void {
    const languages = new Map<string, DesiredTexts | undefined>(desired.texts);
    if (!state && store.translated.length > 0 && !languages.has(channel.language))
        languages.set(channel.language, undefined);
    for (const [language, texts] of languages) {
        if (state?.texts.has(language)) continue;
        const at = (field: string): string =>
            language === channel.language ? names[field]! : `${names['translations']}.${language}.${names[field]}`;
        const what = state ? 'a new translation' : `a new ${store.entity.called[0]}`;
        for (const field of store.translated)
            if (texts?.values[field] === undefined) issues.add(at(field), `is missing; ${what} needs one`);
        requireCustom(store.custom.localised, texts?.custom, { faults: issues, path: at('customFields') });
    }
}

/** Requires the texts of a new entity's base row that must not be empty. */
export function requireValues({ store, names }: Rules, { desired, faults: issues }: Asked): void {
    const { fields, called } = store.entity;
    for (const [field, what] of Object.entries(fields))
        if (what.kind === 'text' && what.isRequired && desired.values[field] === undefined)
            issues.add(names[field]!, `is missing; a new ${called[0]} needs one`);
}
