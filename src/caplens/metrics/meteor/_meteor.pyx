# cython: language_level=3
"""METEOR's statistics of candidates with the best of their references."""

from libc.math cimport pow as power
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memset

from caplens.metrics.meteor._aligner cimport STAGES, Aligner, Match
from caplens.metrics.meteor._matcher cimport Lexicon, Matcher, Side, Texts
from caplens.text._memory cimport resized

cdef enum:
    LENGTH = 0
    REFERENCE_LENGTH = 1
    FUNCTION = 2
    REFERENCE_FUNCTION = 3
    CONTENT_MATCHES = 4  # then reference content, function, reference function; four numbers for each stage
    CHUNKS = 20
    MATCHED = 21
    REFERENCE_MATCHED = 22
    PENALIZED_CHUNKS = 23
    COLUMNS = 24

cdef enum:
    GROUP = 16  # references whose matches are held at once, if they are not too many
    MANY_MATCHES = 100_000
    RUN_TABLE = 2048  # longer captions are bounded without a look at their runs

# The bound adds in another order than the score, so its last digits may be lower.
cdef double ROUNDING = 1 + 1e-9


cdef class Scorer:
    """Scores rows; holds one thread's memory.

    Parameters
    ----------
    candidates, references : Side
        The captions.
    lexicon : Lexicon
        What is known about words and phrases.
    stages : tuple of bool
        Which of exact, stem, synonym, paraphrase are used.
    weights : tuple of float
        Their weights in the score.
    alpha, beta, gamma, delta : float
        The parameters of the score.
    beam : int
        Width of the search.
    """
    cdef Texts candidates, references
    cdef Lexicon lexicon
    cdef Matcher matcher
    cdef Aligner aligner
    cdef double weights[STAGES]
    cdef double alpha, beta, gamma, delta
    # For the bound: the largest weight that a match could give to each word.
    cdef double least_weight  # of a word that matches
    cdef double* word_weights
    cdef int64_t weight_capacity

    def __cinit__(self, Side candidates, Side references, Lexicon lexicon, stages, weights, double alpha, double beta,
                  double gamma, double delta, int32_t beam):
        self.candidates, self.references = candidates.texts, references.texts
        self.lexicon = lexicon
        self.matcher = Matcher(candidates, references, lexicon, stages)
        self.aligner = Aligner(beam)
        for stage in range(STAGES):
            self.weights[stage] = weights[stage]
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.delta = delta
        self.least_weight = min(delta, 1 - delta) * min(
            weight for weight, used in zip(weights, stages, strict=True) if used)
        self.word_weights = NULL
        self.weight_capacity = 0

    def __dealloc__(self):
        free(self.word_weights)

    def score_captions(self, const int64_t[::1] set_offsets, const int64_t[::1] reference_set, double[:, ::1] table,
                   int64_t[::1] best, int64_t first, int64_t last):
        """Write for each row the statistics with its best reference, and which one that is (the first of equals)."""
        cdef int64_t row, caption, end
        cdef double highest
        with nogil:
            for row in range(first, last):
                caption = set_offsets[reference_set[row]]
                end = set_offsets[reference_set[row] + 1]
                self.matcher.open(row, caption, end)
                highest = -1
                if caption == end:
                    self._count_words(row, &table[row, 0])
                while caption < end:
                    caption = self._score_group(row, caption, end, &highest, &table[row, 0], &best[row])
                self.matcher.close()

    def alignment(self, int64_t row, int64_t caption):
        """Return the matches of a row with one reference caption, and the statistics of the pair.

        A match is (start, length, reference start, reference length, stage).
        """
        cdef double numbers[COLUMNS]
        cdef int64_t position
        cdef Match match
        self.matcher.open(row, caption, caption + 1)
        self.matcher.forget()
        self._align(row, caption, self.matcher.collect(caption), numbers)
        self.matcher.close()
        chosen = []
        for position in range(self.references.offsets[caption + 1] - self.references.offsets[caption]):
            if self.aligner.chosen[position] >= 0:
                match = self.matcher.matches[self.aligner.chosen[position]]
                chosen.append((match.start, match.length, match.reference_start, match.reference_length, match.stage))
        return chosen, [numbers[column] for column in range(COLUMNS)]

    cdef int64_t _score_group(self, int64_t row, int64_t caption, int64_t end, double* highest, double* statistics,
                              int64_t* best) except -1 nogil:
        """Score a row with some references, the most promising first; return the first one behind them.

        Searching an alignment takes most of the time, so references whose bound is too low are not aligned at all.
        """
        cdef int64_t captions[GROUP]
        cdef int64_t begins[GROUP]
        cdef double bounds[GROUP]
        cdef double numbers[COLUMNS]
        cdef double bound, score
        cdef int64_t begin
        cdef int32_t count = 0, place, column
        self.matcher.forget()
        while caption < end and count < GROUP and self.matcher.count < MANY_MATCHES:
            begin = self.matcher.collect(caption)
            bound = self._bound(row, caption, begin)
            place = count
            while place > 0 and bounds[place - 1] < bound:
                captions[place], begins[place], bounds[place] = captions[place - 1], begins[place - 1], bounds[place - 1]
                place -= 1
            captions[place], begins[place], bounds[place] = caption, begin, bound
            count += 1
            caption += 1
        for place in range(count):
            if bounds[place] < highest[0]:
                break
            self._align(row, captions[place], begins[place], numbers)
            score = self._score(numbers)
            if score > highest[0] or (score == highest[0] and captions[place] < best[0]):
                highest[0] = score
                best[0] = captions[place]
                for column in range(COLUMNS):
                    statistics[column] = numbers[column]
        return caption

    cdef double _bound(self, int64_t row, int64_t caption, int64_t begin) except? -2 nogil:
        """No alignment with the reference scores more.

        Every word that has matches is given the best of them. An alignment of so many matches leaves out the words
        that are more; it has at least as many chunks as matches that cannot continue another one, and the mean length
        of its chunks is at most the longest run of matches that are neighbours on both sides.
        """
        cdef const int32_t* begins = self.matcher.begins + begin
        cdef int32_t length = <int32_t>(self.candidates.offsets[row + 1] - self.candidates.offsets[row])
        cdef int32_t reference_length = <int32_t>(self.references.offsets[caption + 1] - self.references.offsets[caption])
        cdef int64_t capacity, extra = 0, reference_extra = 0
        cdef int32_t place, number, matched = 0, reference_matched = 0, links = 0, count
        cdef double precision, recall, total = 0, reference_total = 0, longest, weight, chunks, bound, highest = 0
        cdef double* ours
        cdef double* theirs
        cdef const Match* match
        if begins[0] == begins[reference_length]:
            return 0
        if length + reference_length > self.weight_capacity:
            capacity = 2 * (<int64_t>length + reference_length)
            self.word_weights = <double*>resized(self.word_weights, capacity * sizeof(double))
            self.weight_capacity = capacity
        ours, theirs = self.word_weights, self.word_weights + length
        for place in range(length + reference_length):
            ours[place] = -1
        for number in range(begins[0], begins[reference_length]):
            match = &self.matcher.matches[number]
            weight = self.weights[match.stage]
            extra += match.length - 1
            reference_extra += match.reference_length - 1
            for place in range(match.start, match.start + match.length):
                ours[place] = max(ours[place], weight)
            for place in range(match.reference_start, match.reference_start + match.reference_length):
                theirs[place] = max(theirs[place], weight)
        precision = self._share(self.candidates.words + self.candidates.offsets[row], ours, length, &matched, &total)
        recall = self._share(self.references.words + self.references.offsets[caption], theirs, reference_length,
                             &reference_matched, &reference_total)
        longest = self._longest_run(begins, length, reference_length, (matched + reference_matched) / 2.0, &links)
        if 2 * longest >= length + reference_length:
            return ROUNDING * self._combine(precision / total, recall / reference_total, 0, 1)  # from end to end
        for count in range(min(matched, reference_matched), 0, -1):
            chunks = max(1 / longest, (count - links) / (count + (extra + reference_extra) / 2.0))
            bound = self._combine(
                (precision - self.least_weight * max(0, matched - count - extra)) / total,
                (recall - self.least_weight * max(0, reference_matched - count - reference_extra)) / reference_total,
                chunks, 1)
            highest = max(highest, bound)
            if chunks == 1 / longest:  # fewer matches are no better
                break
        return ROUNDING * highest

    cdef double _share(self, const int32_t* words, const double* weights, int32_t length, int32_t* matched,
                       double* total) noexcept nogil:
        """The weight of matched words, content and function words as in the score; how many, and the weight of all."""
        cdef double share, found = 0
        cdef int32_t place
        for place in range(length):
            share = 1 - self.delta if self.lexicon.is_function[words[place]] else self.delta
            total[0] += share
            if weights[place] >= 0:
                matched[0] += 1
                found += share * weights[place]
        return found

    cdef double _longest_run(self, const int32_t* begins, int32_t length, int32_t reference_length, double matched,
                             int32_t* links) noexcept nogil:
        """The most words (mean of both sides) in a run of matches that are neighbours; at most those ``matched``.

        ``links`` is set to the number of reference words where a match may continue another one.
        """
        cdef float runs[RUN_TABLE]  # by where a run ends on both sides
        cdef float run, longest = 0
        cdef int32_t number, width = reference_length + 1, linked = -1
        cdef const Match* match
        cdef float* end
        if (<int64_t>length + 1) * width > RUN_TABLE:
            links[0] = reference_length
            return matched
        memset(runs, 0, <size_t>(length + 1) * width * sizeof(float))
        for number in range(begins[0], begins[reference_length]):
            match = &self.matcher.matches[number]
            run = runs[match.start * width + match.reference_start]
            if run > 0 and match.reference_start != linked:
                linked = match.reference_start
                links[0] += 1
            run += (match.length + match.reference_length) / 2.0
            end = &runs[(match.start + match.length) * width + match.reference_start + match.reference_length]
            end[0] = max(end[0], run)
            longest = max(longest, run)
        return min(<double>longest, matched)

    cdef int _align(self, int64_t row, int64_t caption, int64_t begin, double* numbers) except -1 nogil:
        """Align a row with a reference whose matches are collected, and count."""
        self.aligner.align(self.matcher.matches, self.matcher.begins + begin,
                           <int32_t>(self.candidates.offsets[row + 1] - self.candidates.offsets[row]),
                           <int32_t>(self.references.offsets[caption + 1] - self.references.offsets[caption]))
        self._count(row, caption, numbers)
        return 0

    cdef void _count_words(self, int64_t row, double* numbers) noexcept nogil:
        """The statistics of a candidate with an empty reference, or none: its own words."""
        cdef const Texts* ours = &self.candidates
        cdef int64_t place
        cdef int32_t column
        for column in range(COLUMNS):
            numbers[column] = 0
        numbers[LENGTH] = ours.offsets[row + 1] - ours.offsets[row]
        for place in range(ours.offsets[row], ours.offsets[row + 1]):
            numbers[FUNCTION] += self.lexicon.is_function[ours.words[place]]

    cdef void _count(self, int64_t row, int64_t caption, double* numbers) noexcept nogil:
        cdef const Texts* ours = &self.candidates
        cdef const Texts* theirs = &self.references
        cdef int64_t our_begin = ours.offsets[row], begin = theirs.offsets[caption], place
        cdef int32_t position, last_end = -1, last_reference_end = -1, column
        cdef const Match* match
        self._count_words(row, numbers)
        numbers[REFERENCE_LENGTH] = theirs.offsets[caption + 1] - begin
        for place in range(begin, theirs.offsets[caption + 1]):
            numbers[REFERENCE_FUNCTION] += self.lexicon.is_function[theirs.words[place]]
        for position in range(<int32_t>(theirs.offsets[caption + 1] - begin)):
            if self.aligner.chosen[position] < 0:
                continue
            match = &self.aligner.matches[self.aligner.chosen[position]]
            column = CONTENT_MATCHES + 4 * match.stage
            for place in range(our_begin + match.start, our_begin + match.start + match.length):
                numbers[column + 2 * self.lexicon.is_function[ours.words[place]]] += 1
            for place in range(begin + position, begin + position + match.reference_length):
                numbers[column + 1 + 2 * self.lexicon.is_function[theirs.words[place]]] += 1
            numbers[MATCHED] += match.length
            numbers[REFERENCE_MATCHED] += match.reference_length
            if match.start != last_end or position != last_reference_end:
                numbers[CHUNKS] += 1
            last_end = match.start + match.length
            last_reference_end = position + match.reference_length
        # A pair that matches from end to end is not fragmented, in the sums of a corpus neither.
        if not (numbers[CHUNKS] == 1 and numbers[MATCHED] == numbers[LENGTH]
                and numbers[REFERENCE_MATCHED] == numbers[REFERENCE_LENGTH]):
            numbers[PENALIZED_CHUNKS] = numbers[CHUNKS]

    cdef double _score(self, const double* numbers) noexcept nogil:
        """The score of one pair, to choose the best reference; `Meteor.aggregate` says the same for whole tables."""
        cdef double delta = self.delta, precision = 0, recall = 0, length, reference_length
        cdef int32_t stage
        cdef const double* matches
        for stage in range(STAGES):
            matches = numbers + CONTENT_MATCHES + 4 * stage
            precision += self.weights[stage] * (delta * matches[0] + (1 - delta) * matches[2])
            recall += self.weights[stage] * (delta * matches[1] + (1 - delta) * matches[3])
        length = delta * (numbers[LENGTH] - numbers[FUNCTION]) + (1 - delta) * numbers[FUNCTION]
        reference_length = (delta * (numbers[REFERENCE_LENGTH] - numbers[REFERENCE_FUNCTION])
                            + (1 - delta) * numbers[REFERENCE_FUNCTION])
        return self._combine(precision / length, recall / reference_length, numbers[PENALIZED_CHUNKS],
                             (numbers[MATCHED] + numbers[REFERENCE_MATCHED]) / 2)

    cdef inline double _combine(self, double precision, double recall, double chunks, double matched) noexcept nogil:
        cdef double f_mean
        if not (precision > 0 and recall > 0 and matched > 0):
            return 0
        f_mean = 1 / ((1 - self.alpha) / precision + self.alpha / recall)
        return max(0.0, f_mean * (1 - self.gamma * power(chunks / matched, self.beta)))
