import { useLingui } from '@lingui/react/macro';

/** The names of step kinds. An unknown kind keeps its own name. */
export function useKindWords(): (kind: string) => string {
    const { t } = useLingui();
    const words: Readonly<Record<string, string>> = {
        TRIGGER: t({ message: 'Trigger', context: 'flow step' }),
        EXTRACT: t({ message: 'Source', context: 'flow step' }),
        TRANSFORM: t({ message: 'Transform', context: 'flow step' }),
        VALIDATE: t({ message: 'Check', context: 'flow step' }),
        ROUTE: t({ message: 'Route', context: 'flow step' }),
        LOAD: t({ message: 'Load', context: 'flow step' }),
        SINK: t({ message: 'Sink', context: 'flow step' }),
        GATE: t({ message: 'Gate', context: 'flow step' }),
    };
    return kind => words[kind] ?? kind;
}
