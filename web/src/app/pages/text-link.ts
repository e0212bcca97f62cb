export const textLink = 'rounded-md font-medium text-brand underline-offset-4 hover:underline';
