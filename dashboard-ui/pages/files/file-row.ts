import type { ResultOf } from '../../gql/graphql';
import type { fileListDocument } from './files.graphql';

/** A line of the list. */
export type FileRow = ResultOf<typeof fileListDocument>['flowFiles']['items'][number];
