"""A language model behind any endpoint that speaks the OpenAI protocol. It may word and rank; it never decides.

Optional: without `OPENAI_BASE_URL`, or when it fails, times out, returns invalid answers or the budget is spent,
`complete` raises `LlmUnavailable` and the caller uses rule-based text and reports this. Callers check every number
and name of an answer against their data: an answer is untrusted input.
"""

from infra.kernel.llm.language_model import LanguageModel, LlmUnavailable
from infra.kernel.llm.request import LlmRequest

__all__ = ["LanguageModel", "LlmRequest", "LlmUnavailable"]
