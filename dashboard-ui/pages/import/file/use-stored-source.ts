import { api, useMutation } from '@vendure/dashboard';
import type { VariablesOf } from '../../../gql/graphql';
import { storeImportSourceDocument } from '../import.graphql';
import type { ImportSource } from '../import-plan';
import type { OnChoose } from './choose-file';

type SourceInput = VariablesOf<typeof storeImportSourceDocument>['input'];

interface Requested {
    readonly input: SourceInput;
    /** Where later imports read it. */
    readonly origin?: ImportSource;
}

/** Has the server store a text, an address or a file of another server, and chooses the stored file. */
export function useStoredSource(onChoose: OnChoose): {
    readonly store: (requested: Requested) => void;
    readonly isPending: boolean;
    readonly error: Error | null;
} {
    const { mutate, isPending, error } = useMutation({
        mutationFn: async ({ input, origin }: Requested) => {
            const { storeFlowImportSource } = await api.mutate(storeImportSourceDocument, { input });
            return { fileId: storeFlowImportSource.id, ...(origin && { origin }) };
        },
        onSuccess: file => onChoose(file),
    });
    return { store: mutate, isPending, error };
}
