import type { ResultOf } from '../../gql/graphql';
import type { feedListDocument } from './feeds.graphql';

/** A line of the list: everything about a feed but its address. */
export type FeedRow = ResultOf<typeof feedListDocument>['flowFeeds']['items'][number];
