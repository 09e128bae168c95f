import { type FeedEvent, toFeedItem } from './feed-item';

/** How an event is written for whom. Each makes the object that stands for one event. */
export const FEED_FORMATS = {
  native: { doc: "the service's own fields", toObject: toFeedItem },
} as const satisfies Record<string, { doc: string; toObject: (event: FeedEvent) => object }>;

export type FeedFormat = keyof typeof FEED_FORMATS;
export const FEED_FORMAT_NAMES = Object.keys(FEED_FORMATS) as FeedFormat[];
