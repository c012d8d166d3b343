import { type Definition, isObject, listOf } from '../model/definition';

/** The ids of stored files, by the keys of the steps that read them. */
export type FilesOfSteps = Readonly<Record<string, string>>;

/** The definition with other files in the place of those that its sources name; a step that names none is left as it is. */
export function withFiles(definition: Definition, files: FilesOfSteps): Definition {
    if (Object.keys(files).length === 0) return definition;
    const steps = listOf(definition['steps']).map(step => {
        if (!isObject(step) || typeof step['key'] !== 'string' || !isObject(step['config'])) return step;
        const { key, config } = step;
        const fileId = Object.hasOwn(files, key) ? files[key] : undefined;
        return fileId !== undefined && 'fileId' in config ? { ...step, config: { ...config, fileId } } : step;
    });
    return { ...definition, steps };
}
