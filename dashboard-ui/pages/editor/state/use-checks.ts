import { api, keepPreviousData, useQuery } from '@vendure/dashboard';
import { useEffect, useMemo, useState } from 'react';
import { useErrorText } from '../../../i18n/use-server-texts';
import { checkDocument } from '../editor.graphql';
import type { Definition } from '../model/definition';
import type { EditorIssue } from './issues';

const REST_MS = 500;
const NONE: readonly EditorIssue[] = [];

/** The server's validation of the drawn definition, requested once the user pauses. */
export interface Checks {
    readonly issues: readonly EditorIssue[];
    /** Whether they are about what is seen now. */
    readonly isCurrent: boolean;
    readonly error: Error | null;
}

/** Has the server check what is drawn; nothing is stored. */
export function useChecks(definition: Definition): Checks {
    const [asked, setAsked] = useState(definition);
    useEffect(() => {
        if (asked === definition) return undefined;
        const timer = setTimeout(() => setAsked(definition), REST_MS);
        return () => clearTimeout(timer);
    }, [asked, definition]);
    const { data, error, isPlaceholderData } = useQuery({
        queryKey: ['flow', 'editor-check', JSON.stringify(asked)],
        queryFn: () => api.query(checkDocument, { definition: asked }),
        placeholderData: keepPreviousData,
        staleTime: 30_000,
        gcTime: 60_000,
    });
    const textOf = useErrorText();
    const issues = useMemo(
        () =>
            data?.validateFlowPipeline.map(({ facts, ...issue }) => ({
                ...issue,
                message: textOf({ message: issue.message, facts }),
            })),
        [data, textOf],
    );
    return {
        issues: issues ?? NONE,
        isCurrent: data !== undefined && !isPlaceholderData && asked === definition,
        error,
    };
}
