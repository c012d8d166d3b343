import { useLingui } from '@lingui/react/macro';
import { api, toast } from '@vendure/dashboard';
import { useEffect, useRef } from 'react';
import { faultOf } from '../../../ground/fault';
import { useSearch } from '../../../parts/use-search';
import { olderRevisionDocument } from '../editor.graphql';
import { isObject } from '../model/definition';
import { useEditor } from '../state/editor-context';

/** Takes the revision that the address names (`?from=`) into the drawing, as a change that can be undone; nothing is stored yet. */
export function FromRevision(): null {
    const { t } = useLingui();
    const { drawing, isReadOnly } = useEditor();
    const [{ from }, change] = useSearch();
    const taken = useRef<string>(undefined);
    useEffect(() => {
        if (from === undefined || isReadOnly || taken.current === from) return;
        taken.current = from;
        api.query(olderRevisionDocument, { id: from })
            .then(({ flowPipelineRevision: revision }) => {
                const { definition, number } = revision ?? {};
                if (!isObject(definition)) return;
                drawing.edit(() => definition, { select: [] });
                toast.success(t`This is revision ${number}. It is not saved yet. Use Undo to go back.`);
                change({ from: undefined });
            })
            .catch((error: unknown) => toast.error(faultOf(error).message));
    });
    return null;
}
