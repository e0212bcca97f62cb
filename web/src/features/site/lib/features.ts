import { BookOpen, BrainCircuit, Handshake, LayoutTemplate, Link2, MessagesSquare, Share2, Store } from 'lucide-react';
import type { Point } from '../components/parts';

/** One of the eight features that the home page names (specification §1). */
export interface Feature extends Point {
  /** Where it leads once that page is built; before, `otherwise`. */
  readonly to: string;
  readonly says: string;
  readonly otherwise?: { readonly to: string; readonly hash?: string; readonly says: string };
}

export const FEATURES: readonly Feature[] = [
  {
    Icon: BrainCircuit,
    title: 'AI idea and niche generation',
    to: '/affiliate-matching',
    says: 'Describe your idea',
    text: 'Describe a business in your own words and see which niches and programs fit it, each with the reasons for its score.',
    otherwise: { to: '/blog/reading-earnings-per-click', says: 'How to judge a program' },
  },
  {
    Icon: LayoutTemplate,
    title: 'Drag-and-drop website builder',
    to: '/builder',
    says: 'Build a site',
    text: 'Put a review site together from blocks, publish it on your own domain, and see views, clicks and sales by page and block.',
  },
  {
    Icon: Link2,
    title: 'Link tracking',
    to: '/help/tracked-links',
    says: 'See how links work',
    text: 'Geo-targeting, conversion tracking and real-time analytics for every link: rules by country and device, split tests, and each click on screen as it happens.',
  },
  {
    Icon: Handshake,
    title: 'Partner network',
    to: '/integrations',
    says: 'See the integrations',
    text: 'Work with partners of any network. Postbacks are matched to the click that earned the sale, and you can check what they owe you to the cent.',
  },
  {
    Icon: Share2,
    title: 'Social integration',
    to: '/help/social-links',
    says: 'Put links into profiles',
    text: 'Instagram, TikTok and YouTube: one tracked link for each profile, video and post, with a QR code, so you see which one sells.',
  },
  {
    Icon: Store,
    title: 'Marketplace',
    to: '/marketplace',
    says: 'Browse the listings',
    text: 'Buy and sell affiliate websites, secured by escrow. Numbers of websites tracked here come from their tracking data, not from screenshots.',
    otherwise: { to: '/blog/verified-listings', says: 'Why verified numbers matter' },
  },
  {
    Icon: BookOpen,
    title: 'Learning hub',
    to: '/learn',
    says: 'Start a course',
    text: 'Guides and articles in order, from the first tracked link to the first split test. Your progress is saved.',
    otherwise: { to: '/help', says: 'Read the guides' },
  },
  {
    Icon: MessagesSquare,
    title: 'Forum',
    to: '/forum',
    says: 'Join the discussion',
    text: 'Ask questions, share what worked, and read case studies.',
    otherwise: { to: '/help', says: 'Find help' },
  },
];
