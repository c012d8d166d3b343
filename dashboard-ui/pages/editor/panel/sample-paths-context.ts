import { createContext, useContext } from 'react';
import type { SamplePath } from '../state/sample-paths';

const NONE: readonly SamplePath[] = [];
const Paths = createContext<readonly SamplePath[]>(NONE);

export const SamplePathsProvider = Paths.Provider;

/** What is known of the records that come to the step that is being set. */
export function useSamplePaths(): readonly SamplePath[] {
    return useContext(Paths);
}
